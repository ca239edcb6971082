import type { Way } from '../world.js';
import { access } from './access.js';
import { chats } from './chat.js';
import { creates, updates } from './creates.js';
import { ending } from './ending.js';
import { invocations } from './invoke.js';
import { lawfuls } from './lawful.js';
import { lists } from './lists.js';
import { proofs } from './proofs.js';
import { questions } from './questions.js';
import { mappings, visibility } from './visibility.js';

export const blind29: readonly Way[] = [
  ...lists,
  ...creates,
  ...updates,
  ...ending,
  ...chats,
  ...questions,
  ...invocations,
  ...access,
  ...proofs,
  ...visibility,
  ...mappings,
  ...lawfuls,
];
