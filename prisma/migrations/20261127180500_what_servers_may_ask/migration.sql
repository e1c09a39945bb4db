-- AlterTable
ALTER TABLE "input_request" ADD COLUMN     "request" TEXT;

-- AlterTable
ALTER TABLE "mcp_server" ADD COLUMN     "may_ask" JSONB NOT NULL DEFAULT '[]';
