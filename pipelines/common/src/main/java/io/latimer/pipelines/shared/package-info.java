/**
 * Batch stages for callers that have one record at a time, such as the functions of a SQL query: a
 * process opens each configuration once, and its batches contain the records of all callers.
 */
package io.latimer.pipelines.shared;
