/**
 * Latimer's jobs on Flink's DataStream API. {@link io.latimer.pipelines.flink.TranslationJob} puts
 * a job together: a source, steps of stages, sinks and dead letters. Its parts are in packages of
 * their own; those listed later use those before them, and no two use each other:
 *
 * <ul>
 *   <li>{@code task}, {@code record}, {@code kafka} and {@code state}: what the others share
 *   <li>{@code source} and {@code sink}: both ends of the job
 *   <li>{@code batch} and {@code table}: the two kinds of stages
 *   <li>{@code control}: commands to the running job
 * </ul>
 */
package io.latimer.pipelines.flink;
