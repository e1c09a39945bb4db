-- CreateTable
CREATE TABLE "mcp_server" (
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "url" TEXT,
    "stdio" TEXT,
    "headers" TEXT,
    "approval" INTEGER NOT NULL,
    "timeout_ms" INTEGER NOT NULL,
    "cache_ttl_seconds" INTEGER,
    "tools" JSONB NOT NULL,
    "approved_by" TEXT NOT NULL,
    "approved_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "mcp_server_pkey" PRIMARY KEY ("name")
);
