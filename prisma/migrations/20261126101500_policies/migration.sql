-- CreateTable
CREATE TABLE "policy" (
    "tenant_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "when" TEXT NOT NULL,
    "then" TEXT NOT NULL,
    "message" TEXT,
    "expires_ms" BIGINT,
    "self" BOOLEAN NOT NULL DEFAULT false,
    "revision" BIGSERIAL NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "policy_pkey" PRIMARY KEY ("tenant_id","name")
);

-- CreateIndex
CREATE INDEX "policy_tenant_id_revision_idx" ON "policy"("tenant_id", "revision");

-- What Prisma cannot say: which changes are in the audit.
CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON "policy"
    FOR EACH ROW EXECUTE FUNCTION audit_change('{name}', '{revision}');
CREATE TRIGGER audit_changed AFTER UPDATE ON "policy"
    FOR EACH ROW WHEN (
        to_jsonb(OLD) - '{revision,updated_at}'::text[] IS DISTINCT FROM to_jsonb(NEW) - '{revision,updated_at}'::text[]
    )
    EXECUTE FUNCTION audit_change('{name}', '{revision}');
