import { short } from './format.js';
import type { Target } from './types.js';
import type { Option } from './ui/field.js';

export const workspacesOf = ({ workspace_id: first, foreign_workspace_id: other }: Target): Option[] => [
  [first, `First — ${short(first)}…`],
  ...(other === undefined ? [] : [[other, `Other — ${short(other)}…`] as const]),
];
