-- CreateTable
CREATE TABLE "batch" (
    "id" UUID NOT NULL,
    "namespace" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "maker" JSONB NOT NULL,
    "idempotency_key" TEXT,
    "fingerprint" TEXT NOT NULL DEFAULT '',
    "state" TEXT NOT NULL DEFAULT 'accepting',
    "total" INTEGER NOT NULL DEFAULT 0,
    "bytes" INTEGER NOT NULL DEFAULT 0,
    "rate_per_s" DOUBLE PRECISION,
    "active" INTEGER NOT NULL DEFAULT 0,
    "resting" INTEGER NOT NULL DEFAULT 0,
    "completed" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "cancelled" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),
    "cancelled_at" TIMESTAMPTZ(3),
    "reason" TEXT,
    "feeder" UUID,
    "fed_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "batch_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "batch_line" (
    "batch_id" UUID NOT NULL,
    "n" INTEGER NOT NULL,
    "line_id" TEXT,
    "tool" TEXT NOT NULL,
    "call" TEXT,
    "state" TEXT NOT NULL,
    "tried_at" TIMESTAMPTZ(3),
    "job_id" TEXT,
    "error" TEXT,

    CONSTRAINT "batch_line_pkey" PRIMARY KEY ("batch_id","n")
);

-- CreateIndex
CREATE INDEX "batch_tenant_id_owner_created_at_id_idx" ON "batch"("tenant_id", "owner", "created_at", "id");

-- CreateIndex
CREATE INDEX "batch_namespace_state_fed_until_idx" ON "batch"("namespace", "state", "fed_until");

-- CreateIndex
CREATE INDEX "batch_finished_at_idx" ON "batch"("finished_at");

-- CreateIndex
CREATE UNIQUE INDEX "batch_namespace_tenant_id_owner_idempotency_key_key" ON "batch"("namespace", "tenant_id", "owner", "idempotency_key");

-- AddForeignKey
ALTER TABLE "batch_line" ADD CONSTRAINT "batch_line_batch_id_fkey" FOREIGN KEY ("batch_id") REFERENCES "batch"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma cannot say: which changes are in the audit. That its calls are there, and that it is cancelled.
CREATE TRIGGER audit_changed AFTER UPDATE ON "batch"
    FOR EACH ROW WHEN (OLD.state = 'accepting' OR OLD.cancelled_at IS NULL AND NEW.cancelled_at IS NOT NULL)
    EXECUTE FUNCTION audit_change('{id}', '{maker,fingerprint,feeder,fed_until,active,resting,completed,failed,cancelled}');
