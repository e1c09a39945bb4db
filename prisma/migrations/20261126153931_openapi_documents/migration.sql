-- AlterTable
ALTER TABLE "mcp_server" ADD COLUMN     "openapi" JSONB;
