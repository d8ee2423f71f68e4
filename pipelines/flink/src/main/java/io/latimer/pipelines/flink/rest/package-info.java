/**
 * Access control for a Flink cluster's REST interface. Flink loads it as a service from its own
 * class path, so it depends on nothing else of Latimer: the images contain it in a separate jar.
 */
package io.latimer.pipelines.flink.rest;
