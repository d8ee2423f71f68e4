/**
 * Kills under load: a broker, a highly available job manager and task managers as processes, the
 * packaged job, and faults at random moments from a seed.
 */
package io.latimer.e2e.chaos;
