-- CreateTable
CREATE TABLE "budget" (
    "tenant_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "user_id" TEXT,
    "key" TEXT,
    "tool" TEXT,
    "period" TEXT NOT NULL,
    "time_zone" TEXT NOT NULL,
    "limit_micros" BIGINT,
    "limit_calls" BIGINT,
    "warn_at" DOUBLE PRECISION NOT NULL,
    "counter" BIGSERIAL NOT NULL,
    "revision" BIGSERIAL NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "budget_pkey" PRIMARY KEY ("tenant_id","name")
);

-- CreateIndex
CREATE INDEX "budget_tenant_id_revision_idx" ON "budget"("tenant_id", "revision");

-- What Prisma cannot say: which changes are in the audit.
CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON "budget"
    FOR EACH ROW EXECUTE FUNCTION audit_change('{name}', '{revision,counter}');
CREATE TRIGGER audit_changed AFTER UPDATE ON "budget"
    FOR EACH ROW WHEN (
        to_jsonb(OLD) - '{revision,counter,updated_at}'::text[] IS DISTINCT FROM to_jsonb(NEW) - '{revision,counter,updated_at}'::text[]
    )
    EXECUTE FUNCTION audit_change('{name}', '{revision,counter}');
