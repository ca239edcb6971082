import { useState } from 'preact/hooks';
import { createLatest } from '../latest.js';

/** `createLatest` for as long as a component is mounted. */
export const useLatest = (): (() => () => boolean) => useState(createLatest)[0];
