import pkg from '../../package.json' with { type: 'json' };

/** The version of the kit: that of the package. */
export const KIT_VERSION: string = pkg.version;
