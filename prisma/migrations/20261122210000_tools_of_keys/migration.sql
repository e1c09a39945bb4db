-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "tools" TEXT[] DEFAULT ARRAY[]::TEXT[];
