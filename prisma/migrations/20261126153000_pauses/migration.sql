-- CreateTable
CREATE TABLE "pause" (
    "owner" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "tenant_id" TEXT,
    "tool" TEXT,
    "domain" TEXT,
    "reason" TEXT NOT NULL,
    "refuse" BOOLEAN NOT NULL,
    "revision" BIGSERIAL NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "pause_pkey" PRIMARY KEY ("owner","name")
);

-- CreateIndex
CREATE INDEX "pause_owner_revision_idx" ON "pause"("owner", "revision");

-- What Prisma cannot say: which changes are in the audit.
CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON "pause"
    FOR EACH ROW EXECUTE FUNCTION audit_change('{name}', '{revision}');
CREATE TRIGGER audit_changed AFTER UPDATE ON "pause"
    FOR EACH ROW WHEN (to_jsonb(OLD) - '{revision,updated_at}'::text[] IS DISTINCT FROM to_jsonb(NEW) - '{revision,updated_at}'::text[])
    EXECUTE FUNCTION audit_change('{name}', '{revision}');
