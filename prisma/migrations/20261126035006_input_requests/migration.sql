-- CreateTable
CREATE TABLE "input_request" (
    "id" UUID NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "job_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "tool" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "schema" JSONB,
    "arguments" TEXT,
    "requested_by" TEXT NOT NULL,
    "self_decides" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'open',
    "decided_by" TEXT,
    "decided_at" TIMESTAMPTZ(3),
    "reason" TEXT,
    "edited" BOOLEAN NOT NULL DEFAULT false,
    "look_at" TIMESTAMPTZ(3),

    CONSTRAINT "input_request_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "input_request_tenant_id_created_at_id_idx" ON "input_request"("tenant_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "input_request_look_at_idx" ON "input_request"("look_at");

-- CreateIndex
CREATE INDEX "input_request_decided_at_idx" ON "input_request"("decided_at");

-- What Prisma cannot say: a decision is in the audit, and so is that none came in time. What is asked is none: a call is in its own history.
CREATE TRIGGER audit_decided AFTER UPDATE ON "input_request"
    FOR EACH ROW WHEN (NEW.state IS DISTINCT FROM OLD.state)
    EXECUTE FUNCTION audit_change('{id}', '{arguments,schema,message,look_at}');
