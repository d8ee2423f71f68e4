/**
 * What a job is, whatever engine runs it. A {@code job} reads its file by the keys of its {@code
 * source}, {@code sink} and {@code stages}; {@code stage} is what engines know of a stage; {@code
 * batch} and {@code table} are what they run it with; {@code config} knows nothing of jobs. No
 * package depends on one that depends on it.
 */
package io.latimer.pipelines;
