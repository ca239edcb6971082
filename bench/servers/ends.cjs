// For `node --cpu-prof --require`: the process ends on SIGTERM, and writes its profile.
process.on('SIGTERM', () => process.exit(0));
