# The gateway's image. It needs a PostgreSQL: DATABASE_URL must be given, the embedded one is not in the image.
#
#   docker build -t stakegraph .
#   docker run --init --read-only -p 127.0.0.1:4000:4000 -e DATABASE_URL=postgres://… stakegraph
#
# Node 22 has security updates until April 2027; 20, the oldest that the package supports, has had none since April
# 2026. Node 24 brings npm 11, which refuses a lock file that lacks the platform packages of other systems. Debian
# rather than Alpine: glibc is what Node is tested on first. Slim: no dependency is compiled, so no compiler is needed.
FROM node:22-bookworm-slim AS base
WORKDIR /app

# The manifests come before the sources so that a change of the sources reuses the installed packages.
# No install script is needed: the packages' would only report the installation or prepare the embedded PostgreSQL, and
# this package's own would build before its sources are there.
FROM base AS build
COPY package.json package-lock.json ./
COPY web/package.json ./web/
RUN npm ci --omit=dev --ignore-scripts --no-audit --workspace=web --include-workspace-root
COPY tsconfig.json tsconfig.build.json schema.graphql ./
COPY scripts/build.mjs scripts/build-web.mjs ./scripts/
COPY src ./src
COPY web ./web
RUN npm run build

FROM base AS dependencies
COPY package.json package-lock.json ./
# The optional packages are the embedded PostgreSQL's binaries.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --workspaces=false

FROM base
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=4000
# A new volume at this path belongs to the owner of the folder. Only `stakegraph backup` writes there.
RUN install --directory --owner=node --mode=0700 /backups
# The program belongs to root, so the process cannot change its own code. Serving writes no file at all.
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# package.json is read at run time, for the version and for "type": "module".
COPY package.json LICENSE ./
USER node
EXPOSE 4000
# /health, not /ready: an unhealthy container is restarted by some platforms, and a restart does not bring an absent
# database back. Node's own fetch, as the image has no curl.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 4000) + '/health').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Exec form, without npm or a shell in between: the signal must reach node, which then drains.
STOPSIGNAL SIGTERM
CMD ["node", "dist/main.js", "serve"]
