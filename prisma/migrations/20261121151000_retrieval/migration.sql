-- CreateTable
CREATE TABLE "retrieval_space" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "units" INTEGER NOT NULL DEFAULT 0,
    "total_length" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "retrieval_space_pkey" PRIMARY KEY ("id")
);

-- CreateTable
-- Sorted by bytes whatever the database's language is, so that prefixes are ranges of the index.
CREATE TABLE "retrieval_term" (
    "id" SERIAL NOT NULL,
    "space_id" INTEGER NOT NULL,
    "term" TEXT COLLATE "C" NOT NULL,
    "df" INTEGER NOT NULL,

    CONSTRAINT "retrieval_term_pkey" PRIMARY KEY ("id")
) WITH (fillfactor = 80);

-- CreateTable
CREATE TABLE "retrieval_unit" (
    "id" SERIAL NOT NULL,
    "space_id" INTEGER NOT NULL,
    "ref" TEXT NOT NULL,
    "parent" TEXT,
    "labels" TEXT[],
    "length" INTEGER NOT NULL,
    "terms" INTEGER[],
    "tfs" SMALLINT[],
    "impacts" SMALLINT[],
    "heads" INTEGER[],

    CONSTRAINT "retrieval_unit_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "retrieval_posting" (
    "term_id" INTEGER NOT NULL,
    "impact" SMALLINT NOT NULL,
    "unit_id" INTEGER NOT NULL,

    CONSTRAINT "retrieval_posting_pkey" PRIMARY KEY ("term_id","impact","unit_id")
);

-- CreateTable
CREATE TABLE "retrieval_model" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "dimension" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "retrieval_model_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "retrieval_space_name_key" ON "retrieval_space"("name");

-- CreateIndex
CREATE UNIQUE INDEX "retrieval_term_space_id_term_key" ON "retrieval_term"("space_id", "term");

-- CreateIndex
CREATE UNIQUE INDEX "retrieval_unit_space_id_ref_key" ON "retrieval_unit"("space_id", "ref");

-- CreateIndex
CREATE UNIQUE INDEX "retrieval_model_name_dimension_key" ON "retrieval_model"("name", "dimension");

-- AddForeignKey
ALTER TABLE "retrieval_term" ADD CONSTRAINT "retrieval_term_space_id_fkey" FOREIGN KEY ("space_id") REFERENCES "retrieval_space"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "retrieval_unit" ADD CONSTRAINT "retrieval_unit_space_id_fkey" FOREIGN KEY ("space_id") REFERENCES "retrieval_space"("id") ON DELETE CASCADE ON UPDATE CASCADE;
