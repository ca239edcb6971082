import fc from 'fast-check';

/** Some of the four options, in any order. */
export const options = (): fc.Arbitrary<string[]> =>
  fc.shuffledSubarray([...ALL_OPTIONS], { minLength: 1 }).map((some) => [...some]);

/** Texts that are not options at all. */
export const NO_OPTIONS: readonly string[] = ['no such option', '', ' ', 'yes', 'null'];

/** Texts that answer no question, whatever it asks for. */
export const NO_ACTIONS: readonly string[] = [
  '',
  'red',
  '"accept"',
  'null',
  '[]',
  '{}',
  '{"action":"allow_once"}',
  '{"action":null}',
  '{"content":{"answer":"red"}}',
];

export interface Field {
  readonly name: string;
  readonly type: 'string' | 'number' | 'boolean';
  readonly required: boolean;
  readonly label?: string;
  readonly options?: readonly (string | number | boolean)[];
}

const label = fc.string({ minLength: 1, maxLength: 12 });

/** Fields of a question, with names of their own. */
export const fields = (): fc.Arbitrary<Field[]> =>
  fc
    .array(
      fc.record(
        {
          type: fc.constantFrom('string' as const, 'number' as const, 'boolean' as const),
          required: fc.boolean(),
          label,
          listed: fc.boolean(),
        },
        { requiredKeys: ['type', 'required', 'listed'] },
      ),
      { minLength: 1, maxLength: 3 },
    )
    .map((list) =>
      list.map(({ type, required, label: shown, listed }, at) => ({
        name: `field_${at}`,
        type,
        required,
        ...(shown === undefined ? {} : { label: shown }),
        ...(listed && type === 'string' ? { options: ['red', 'blue'] } : {}),
        ...(listed && type === 'number' ? { options: [1, 2.5] } : {}),
      })),
    );

const answerTo = (field: Field): fc.Arbitrary<string | number | boolean> => {
  if (field.options !== undefined) return fc.constantFrom(...field.options);
  if (field.type === 'string') return fc.string({ maxLength: 12 });
  return field.type === 'number' ? fc.integer({ min: -1000, max: 1000 }) : fc.boolean();
};

/** Acceptable content: the required fields, and some of the rest. */
export const contentFor = (list: readonly Field[]): fc.Arbitrary<Record<string, string | number | boolean>> =>
  fc
    .tuple(...list.map((field) => fc.tuple(answerTo(field), field.required ? fc.constant(true) : fc.boolean())))
    .map((values) =>
      Object.fromEntries(list.flatMap((field, at) => (values[at]?.[1] ? [[field.name, values[at][0]]] : []))),
    );

export const ALL_OPTIONS = ['allow_once', 'allow_always', 'reject_once', 'reject_always'] as const;
