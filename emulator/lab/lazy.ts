import type { ZodType } from 'zod';
import type { ClientCase } from '../contract/client-case.js';
import type { LabRun } from '../contract/lab-run.js';
import type { Lab, RunRequest } from './lab.js';

/** The lab and its catalogue, once they are loaded. */
export interface OpenLab extends Lab {
  readonly cases: readonly ClientCase[];
  /** A case of the catalogue; throws an error with a `status` for an unknown one. */
  findCase(id: string): ClientCase;
  /** The run that a body asks for; throws an error with a `status` for an invalid one. */
  readRun(body: unknown): RunRequest;
  /** Schema of the body that `readRun` reads. */
  readonly runSchema: ZodType;
}

/** The lab of an emulator: loaded on first use, so that a start costs nothing (LAB-8). */
export interface LazyLab {
  open(): Promise<OpenLab>;
  /** The requests of a client; undefined for an unknown run. */
  read(run: string): LabRun | undefined;
  /** Newest first. */
  list(): LabRun[];
}

export function lazyLab(load: () => Promise<OpenLab>): LazyLab {
  let loading: Promise<OpenLab> | undefined;
  let lab: OpenLab | undefined;
  return {
    open() {
      loading ??= load().then((loaded) => {
        lab = loaded;
        return loaded;
      });
      return loading;
    },
    read: (run) => lab?.read(run),
    list: () => lab?.list() ?? [],
  };
}
