// Apps as a developer might write them, each with one defect, and apps that are right. Their writer had read interface.md
// and how to call `explore`, and nothing of its disturbances, its laws and the apps that it is tried with.

import { chats } from './chat.js';
import { creating } from './creating.js';
import { lists } from './lists.js';
import { refusals } from './refusals.js';
import { streams } from './streams.js';
import { waiting } from './waiting.js';

export { right } from './right.js';

export const apps = [...creating, ...waiting, ...refusals, ...chats, ...streams, ...lists];
