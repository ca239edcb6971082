# The emulator in a container: not as root, with its state in the volume /data. Beyond loopback the control interface
# needs a token: docker run -e INTERN_EMULATOR_CONTROL_TOKEN=… -p 4683:4683 -p 4684:4684 intern-emulator
ARG BASE=node:22-bookworm-slim

FROM ${BASE} AS build
WORKDIR /src
COPY . .
RUN npm ci --no-audit --no-fund \
  && npm pack --ignore-scripts --pack-destination /tmp \
  && npm install --prefix /app --no-audit --no-fund /tmp/intern-emulator-*.tgz

FROM ${BASE}
COPY --from=build /app /app
RUN mkdir /data && chown 10001:10001 /data
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
