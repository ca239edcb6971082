/** A misused command: one line for the user, and exit status 2. */
export { UsageError } from '../../conformance/cli/arguments.js';
