/** The live page: a job's records in a browser, as they are translated. */
package io.latimer.cli.web;
