/** The harmless disturbances, for chaos profiles: loaded when the first is met. */
export { HARMLESS } from '../habits/harmless/index.js';
