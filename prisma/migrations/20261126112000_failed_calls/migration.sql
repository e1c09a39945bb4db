-- CreateTable
CREATE TABLE "failed_call" (
    "job_id" TEXT NOT NULL,
    "namespace" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "caller" TEXT NOT NULL,
    "credential_id" TEXT NOT NULL,
    "tool_name" TEXT NOT NULL,
    "tool_version" TEXT NOT NULL,
    "code" TEXT,
    "native_code" TEXT,
    "finished_at" TIMESTAMPTZ(3) NOT NULL,
    "session_id" TEXT,
    "replays" INTEGER NOT NULL,
    "input" TEXT NOT NULL,
    "replayed_in" UUID,

    CONSTRAINT "failed_call_pkey" PRIMARY KEY ("job_id")
);

-- CreateIndex
CREATE INDEX "failed_call_tenant_id_caller_finished_at_idx" ON "failed_call"("tenant_id", "caller", "finished_at");

-- CreateIndex
CREATE INDEX "failed_call_finished_at_idx" ON "failed_call"("finished_at");

-- CreateIndex
CREATE INDEX "failed_call_replayed_in_idx" ON "failed_call"("replayed_in");
