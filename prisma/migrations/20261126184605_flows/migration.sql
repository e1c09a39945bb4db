-- CreateTable
CREATE TABLE "flow" (
    "owner" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "tenant_id" TEXT,
    "tool" TEXT,
    "domain" TEXT,
    "key" TEXT,
    "concurrency" INTEGER,
    "rate_max" INTEGER,
    "rate_per_ms" INTEGER,
    "revision" BIGSERIAL NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "flow_pkey" PRIMARY KEY ("owner","name")
);

-- CreateIndex
CREATE INDEX "flow_owner_revision_idx" ON "flow"("owner", "revision");

-- What Prisma cannot say: which changes are in the audit.
CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON "flow"
    FOR EACH ROW EXECUTE FUNCTION audit_change('{name}', '{revision}');
CREATE TRIGGER audit_changed AFTER UPDATE ON "flow"
    FOR EACH ROW WHEN (to_jsonb(OLD) - '{revision,updated_at}'::text[] IS DISTINCT FROM to_jsonb(NEW) - '{revision,updated_at}'::text[])
    EXECUTE FUNCTION audit_change('{name}', '{revision}');
