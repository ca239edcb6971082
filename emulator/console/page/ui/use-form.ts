import { useState } from 'preact/hooks';

/** The values of a form; `field` ties one of them to its control. */
export function useForm<Values extends object>(initial: Values | (() => Values)) {
  const [values, setValues] = useState(initial);
  const set = (change: Partial<Values> | ((before: Values) => Partial<Values>)) =>
    setValues((before) => ({ ...before, ...(typeof change === 'function' ? change(before) : change) }));
  const field = <Key extends keyof Values>(key: Key) => ({
    value: values[key],
    onChange: (value: Values[Key]) => set({ [key]: value } as unknown as Partial<Values>),
  });
  return { values, set, field };
}

/** The things of a list that are chosen, by their names. */
export function useChosen() {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const choose = (names: readonly string[], on: boolean) =>
    setChosen((before) => new Set(on ? [...before, ...names] : [...before].filter((name) => !names.includes(name))));
  return { chosen, choose, chooseNone: () => setChosen(new Set()) };
}
