/**
 * Jobs, independent of the engine. Package {@code job} reads job files by the keys of {@code
 * source}, {@code sink} and {@code stages}; {@code stage} is the interface of stages to engines,
 * which run them with {@code batch} and {@code table}; {@code config} is independent of jobs.
 * Packages have no cyclic dependencies.
 */
package io.latimer.pipelines;
