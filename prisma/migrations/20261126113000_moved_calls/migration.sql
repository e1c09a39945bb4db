-- CreateTable
CREATE TABLE "moved_call" (
    "job_id" TEXT NOT NULL,
    "namespace" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "copy" UUID NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,
    "state" TEXT NOT NULL,
    "look_at" TIMESTAMPTZ(3) NOT NULL,
    "data" TEXT NOT NULL,

    CONSTRAINT "moved_call_pkey" PRIMARY KEY ("job_id")
);

-- CreateIndex
CREATE INDEX "moved_call_namespace_look_at_idx" ON "moved_call"("namespace", "look_at");
