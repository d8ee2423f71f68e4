/**
 * Configuration files as tables of keys: what a key is called, its type, its default and what it
 * means stand in one place, from which files are read, checked, written and documented. Knows
 * nothing of jobs.
 */
package io.latimer.pipelines.config;
