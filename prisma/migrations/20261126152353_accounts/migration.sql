-- CreateTable
CREATE TABLE "provider" (
    "tenant_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "config" JSONB NOT NULL,
    "server" JSONB NOT NULL,
    "client_secret" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "provider_pkey" PRIMARY KEY ("tenant_id","name")
);

-- CreateTable
CREATE TABLE "connection" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "tenant_id" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "reason" TEXT,
    "scopes" TEXT[],
    "tokens" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "revision" INTEGER NOT NULL DEFAULT 1,
    "lease" UUID,
    "lease_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "connection_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "connection_attempt" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "tenant_id" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "scopes" TEXT[],
    "return_to" TEXT,
    "begin_hash" TEXT NOT NULL,
    "state_hash" TEXT,
    "browser_hash" TEXT,
    "verifier" TEXT,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "connection_attempt_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "connection_tenant_id_provider_idx" ON "connection"("tenant_id", "provider");

-- CreateIndex
CREATE UNIQUE INDEX "connection_tenant_id_owner_provider_key" ON "connection"("tenant_id", "owner", "provider");

-- CreateIndex
CREATE UNIQUE INDEX "connection_attempt_begin_hash_key" ON "connection_attempt"("begin_hash");

-- CreateIndex
CREATE UNIQUE INDEX "connection_attempt_state_hash_key" ON "connection_attempt"("state_hash");

-- CreateIndex
CREATE INDEX "connection_attempt_tenant_id_owner_idx" ON "connection_attempt"("tenant_id", "owner");

-- CreateIndex
CREATE INDEX "connection_attempt_tenant_id_provider_idx" ON "connection_attempt"("tenant_id", "provider");

-- CreateIndex
CREATE INDEX "connection_attempt_expires_at_idx" ON "connection_attempt"("expires_at");

-- AddForeignKey
ALTER TABLE "connection" ADD CONSTRAINT "connection_tenant_id_provider_fkey" FOREIGN KEY ("tenant_id", "provider") REFERENCES "provider"("tenant_id", "name") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "connection_attempt" ADD CONSTRAINT "connection_attempt_tenant_id_provider_fkey" FOREIGN KEY ("tenant_id", "provider") REFERENCES "provider"("tenant_id", "name") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma cannot say: which changes are in the audit. That tokens were renewed is none, but that they could not be is one.
CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON "provider"
    FOR EACH ROW EXECUTE FUNCTION audit_change('{name}', '{client_secret,server}');
CREATE TRIGGER audit_changed AFTER UPDATE ON "provider"
    FOR EACH ROW WHEN (to_jsonb(OLD) - '{updated_at}'::text[] IS DISTINCT FROM to_jsonb(NEW) - '{updated_at}'::text[])
    EXECUTE FUNCTION audit_change('{name}', '{client_secret,server}');
CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON "connection"
    FOR EACH ROW EXECUTE FUNCTION audit_change('{id}', '{tokens,lease,lease_until,revision}');
CREATE TRIGGER audit_changed AFTER UPDATE ON "connection"
    FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state OR OLD.scopes IS DISTINCT FROM NEW.scopes)
    EXECUTE FUNCTION audit_change('{id}', '{tokens,lease,lease_until,revision}');

-- What a call that needs an account rests for.
ALTER TABLE "input_request" ADD COLUMN "provider" TEXT, ADD COLUMN "scopes" TEXT[] DEFAULT ARRAY[]::TEXT[];
CREATE INDEX "input_request_tenant_id_requested_by_provider_idx" ON "input_request"("tenant_id", "requested_by", "provider");
