# One image for all apps. APP selects the app that a container runs (gateway, profile-worker, …).
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN node scripts/run.mjs build && node scripts/run.mjs sbom
# Models that run in the container (EMBEDDING_PROVIDER=local, RERANKER_MODEL) need 480 MB more: --build-arg LOCAL_MODELS=1.
ARG LOCAL_MODELS=
RUN if [ -n "$LOCAL_MODELS" ]; then cd deploy/local-models && npm ci; fi
# What speaks to a bucket (FILES_S3_BUCKET).
RUN cd deploy/object-store && npm ci
# The packages of the product alone. The image has its own Node 24; the packaged one is for machines with an older version.
RUN rm -rf node_modules && node scripts/run.mjs build && rm -rf node_modules/node-linux-*

FROM node:24-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production \
    APP=gateway \
    HOST=0.0.0.0 \
    PORT=3000 \
    HEALTH_PORT=3000
# The files belong to root: the process can read its own code but not change it.
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/prisma ./prisma
COPY --from=build /app/deploy/local-models ./deploy/local-models
COPY --from=build /app/deploy/object-store ./deploy/object-store
COPY --from=build /app/dist ./dist
COPY --from=build /app/knowledge ./knowledge
COPY --from=build /app/docs/migrations ./docs/migrations
COPY --from=build /app/skills ./skills
# For files that tools make, and large bodies of calls. In compose these are volumes, which take their owner from these folders.
RUN mkdir -p files/calls && chown -R node:node files
USER node
EXPOSE 3000
# Both kinds of app answer /readyz on 3000 here.
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=3 \
    CMD ["node", "-e", "fetch('http://127.0.0.1:3000/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# exec: the app itself receives SIGTERM and drains.
CMD ["sh", "-c", "exec node --import '#source-maps' --import '#telemetry' dist/apps/$APP/src/main.js"]
