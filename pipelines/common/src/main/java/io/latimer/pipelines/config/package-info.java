/**
 * Configuration files as tables of keys. A key's name, type, default and meaning are defined in one
 * place, from which reading, validation, writing and documentation are derived. Independent of
 * jobs.
 */
package io.latimer.pipelines.config;
