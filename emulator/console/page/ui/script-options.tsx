import { useServices } from './context.js';

/** Every script that there is, to be chosen from. */
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
