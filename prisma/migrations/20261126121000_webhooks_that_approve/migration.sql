-- AlterTable
ALTER TABLE "webhook" ADD COLUMN "approves" BOOLEAN NOT NULL DEFAULT false;
