-- AlterTable
ALTER TABLE "mcp_server" ADD COLUMN     "connection" JSONB;
