import { useServices } from './context.js';

/** Every script, to choose from. */
export function ScriptOptions() {
  const { model } = useServices();
  return (
    <>
      {model.scripts.value.map(({ name }) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </>
  );
}
