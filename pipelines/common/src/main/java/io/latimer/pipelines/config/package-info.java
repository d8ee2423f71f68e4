/**
 * Configuration files as tables of keys. A key's name, type, default and meaning are defined in one
 * place, from which files are read, checked, written and documented. Independent of jobs.
 */
package io.latimer.pipelines.config;
