-- AlterTable
ALTER TABLE "input_request" ADD COLUMN     "namespace" TEXT NOT NULL DEFAULT '';
