-- CreateTable
CREATE TABLE "schedule" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "tenant_id" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "tool" TEXT NOT NULL,
    "arguments" TEXT NOT NULL,
    "cron" TEXT,
    "every_ms" BIGINT,
    "time_zone" TEXT NOT NULL,
    "starts_at" TIMESTAMPTZ(3),
    "ends_at" TIMESTAMPTZ(3),
    "overlap" TEXT NOT NULL,
    "missed" TEXT NOT NULL,
    "jitter_ms" INTEGER NOT NULL,
    "paused" BOOLEAN NOT NULL,
    "maker" JSONB NOT NULL,
    "credential_id" TEXT NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "stopped_at" TIMESTAMPTZ(3),
    "stop_reason" TEXT,
    "planned_until" TIMESTAMPTZ(3) NOT NULL,
    "next_at" TIMESTAMPTZ(3),
    "look_at" TIMESTAMPTZ(3),
    "last_at" TIMESTAMPTZ(3),
    "last_job_id" TEXT,

    CONSTRAINT "schedule_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "schedule_run" (
    "schedule_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "manual" BOOLEAN NOT NULL DEFAULT false,
    "tenant_id" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "waits" BOOLEAN NOT NULL DEFAULT false,
    "called_at" TIMESTAMPTZ(3),
    "tried_at" TIMESTAMPTZ(3),
    "job_id" TEXT,
    "error" JSONB,

    CONSTRAINT "schedule_run_pkey" PRIMARY KEY ("schedule_id","at","manual")
);

-- CreateIndex
CREATE INDEX "schedule_look_at_idx" ON "schedule"("look_at");

-- CreateIndex
CREATE INDEX "schedule_credential_id_idx" ON "schedule"("credential_id");

-- CreateIndex
CREATE UNIQUE INDEX "schedule_tenant_id_owner_name_key" ON "schedule"("tenant_id", "owner", "name");

-- AddForeignKey
ALTER TABLE "schedule_run" ADD CONSTRAINT "schedule_run_schedule_id_fkey" FOREIGN KEY ("schedule_id") REFERENCES "schedule"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma cannot say: which changes are in the audit. What sweepers write as time goes by is none, but that a schedule has stopped is.
CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON "schedule"
    FOR EACH ROW EXECUTE FUNCTION audit_change('{id}', '{arguments,maker,revision,planned_until,next_at,look_at,last_at,last_job_id}');
CREATE TRIGGER audit_changed AFTER UPDATE ON "schedule"
    FOR EACH ROW WHEN (
        to_jsonb(OLD) - '{revision,planned_until,next_at,look_at,last_at,last_job_id,updated_at}'::text[]
        IS DISTINCT FROM to_jsonb(NEW) - '{revision,planned_until,next_at,look_at,last_at,last_job_id,updated_at}'::text[]
    )
    EXECUTE FUNCTION audit_change('{id}', '{arguments,maker,revision,planned_until,next_at,look_at,last_at,last_job_id}');
CREATE TRIGGER audit_called AFTER INSERT ON "schedule_run"
    FOR EACH ROW WHEN (NEW.manual) EXECUTE FUNCTION audit_change('{schedule_id}', '{waits,tried_at}');
