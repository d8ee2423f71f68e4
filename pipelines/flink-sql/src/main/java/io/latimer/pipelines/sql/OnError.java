package io.latimer.pipelines.sql;

/** How to handle a row whose text cannot be processed. */
enum OnError {
  /** Its column {@code error} says why, and its other columns are NULL. */
  COLUMN,
  /** All its columns are NULL. */
  NULL,
  /** The job fails. */
  FAIL
}
