# The emulator in a container: not as root, with its state in the volume /data, and with nothing else that it writes. Beyond
# loopback the control interface needs a token:
#   docker run --read-only -e INTERN_EMULATOR_CONTROL_TOKEN=… \
#     -p 127.0.0.1:4683:4683 -p 127.0.0.1:4684:4684 intern-emulator
ARG BASE=node:22-bookworm-slim

# No part of the package is native code, so the machine that builds makes the files of every platform. PACKAGE is what npm
# installs, say intern-emulator@0.1.0 or a packed file; without it this clone is built.
FROM --platform=$BUILDPLATFORM ${BASE} AS build
ARG PACKAGE=
WORKDIR /src
COPY . .
RUN if [ -z "$PACKAGE" ]; then npm ci --no-audit --no-fund && npm pack --ignore-scripts --pack-destination /tmp; fi \
  && npm install --prefix /app --ignore-scripts --no-audit --no-fund ${PACKAGE:-/tmp/intern-emulator-*.tgz} \
  && mkdir /data

# Only copies from here on: a command would have to run on the platform that the image is for.
FROM ${BASE}
COPY --from=build /app /app
COPY --from=build --chown=10001:10001 /data /data
USER 10001:10001
VOLUME /data
WORKDIR /data
ENV NODE_ENV=production \
  INTERN_EMULATOR_HOST=0.0.0.0 \
  INTERN_EMULATOR_DATA=/data/interns.json
EXPOSE 4683 4684
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.INTERN_EMULATOR_PORT || 4683) + '/_emulator/health', { signal: AbortSignal.timeout(2500) }).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Node itself is the first process, and the emulator ends on SIGTERM: no shell stands between them.
ENTRYPOINT ["node", "/app/node_modules/intern-emulator/dist/bin/intern-emulator.js"]
