-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "toolset" TEXT;

-- CreateTable
CREATE TABLE "toolset" (
    "tenant_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "tools" TEXT[],
    "rename" JSONB NOT NULL,
    "prefix" TEXT NOT NULL DEFAULT '',
    "read_only" BOOLEAN NOT NULL DEFAULT false,
    "revision" BIGSERIAL NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "toolset_pkey" PRIMARY KEY ("tenant_id","name")
);

-- CreateIndex
CREATE INDEX "toolset_tenant_id_revision_idx" ON "toolset"("tenant_id", "revision");

-- What Prisma cannot say: which changes are in the audit.
CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON "toolset"
    FOR EACH ROW EXECUTE FUNCTION audit_change('{name}', '{revision}');
CREATE TRIGGER audit_changed AFTER UPDATE ON "toolset"
    FOR EACH ROW WHEN (
        to_jsonb(OLD) - '{revision,updated_at}'::text[] IS DISTINCT FROM to_jsonb(NEW) - '{revision,updated_at}'::text[]
    )
    EXECUTE FUNCTION audit_change('{name}', '{revision}');
