-- CreateTable
CREATE TABLE "webhook" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "namespace" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "events" TEXT[],
    "filter" TEXT,
    "secret" TEXT NOT NULL,
    "previous_secret" TEXT,
    "previous_until" TIMESTAMPTZ(3),
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "disabled_at" TIMESTAMPTZ(3),
    "disabled_reason" TEXT,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "failing_since" TIMESTAMPTZ(3),
    "held_until" TIMESTAMPTZ(3),
    "look_at" TIMESTAMPTZ(3),
    "claimed_until" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_delivery" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "seq" BIGSERIAL NOT NULL,
    "webhook_id" UUID NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "event_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "job_id" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "body" TEXT NOT NULL,
    "url" TEXT,
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3),
    "last_at" TIMESTAMPTZ(3),
    "last_status" INTEGER,
    "last_error" TEXT,
    "last_ms" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "webhook_tenant_id_namespace_idx" ON "webhook"("tenant_id", "namespace");

-- CreateIndex
CREATE INDEX "webhook_namespace_look_at_idx" ON "webhook"("namespace", "look_at");

-- CreateIndex
CREATE INDEX "webhook_delivery_webhook_id_due_at_idx" ON "webhook_delivery"("webhook_id", "due_at");

-- CreateIndex
CREATE INDEX "webhook_delivery_webhook_id_job_id_at_idx" ON "webhook_delivery"("webhook_id", "job_id", "at");

-- CreateIndex
CREATE INDEX "webhook_delivery_webhook_id_created_at_id_idx" ON "webhook_delivery"("webhook_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "webhook_delivery_created_at_idx" ON "webhook_delivery"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_delivery_webhook_id_event_id_key" ON "webhook_delivery"("webhook_id", "event_id");

-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhook"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma cannot say: which changes are in the audit. What a sender writes as it goes along is none, but that it has disabled a webhook is.
-- An address may be a secret of its receiver.
CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON "webhook"
    FOR EACH ROW EXECUTE FUNCTION audit_change('{id}', '{url,secret,previous_secret,failing_since,held_until,look_at,claimed_until}');
CREATE TRIGGER audit_changed AFTER UPDATE ON "webhook"
    FOR EACH ROW WHEN (
        to_jsonb(OLD) - '{failing_since,held_until,look_at,claimed_until,updated_at}'::text[]
        IS DISTINCT FROM to_jsonb(NEW) - '{failing_since,held_until,look_at,claimed_until,updated_at}'::text[]
    )
    EXECUTE FUNCTION audit_change('{id}', '{url,secret,previous_secret,failing_since,held_until,look_at,claimed_until}');
-- Somebody has tested one, or had a delivery sent again.
CREATE TRIGGER audit_tested AFTER INSERT ON "webhook_delivery"
    FOR EACH ROW WHEN (NEW.type = 'webhook.test') EXECUTE FUNCTION audit_change('{webhook_id,id}', '{body,url,last_error}');
CREATE TRIGGER audit_again AFTER UPDATE ON "webhook_delivery"
    FOR EACH ROW WHEN (OLD.state <> 'waiting' AND NEW.state = 'waiting')
    EXECUTE FUNCTION audit_change('{webhook_id,id}', '{body,url,last_error}');
