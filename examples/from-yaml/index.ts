import * as pulumi from "@pulumi/pulumi";
import { VlanRouter } from "pulumi-vlan-router";

const config = new pulumi.Config();

const { router, networks } = VlanRouter.fromConfig("router", {
  image: config.require("image"),
  // The engine's working directory depends on who calls it.
  file: `${__dirname}/vlan-router.yaml`,
});

/** Nodes whose agent runs the wanted image. */
export const agents = router.nodes;

/** What each node really has of each network, by network name. */
export const nodes = Object.fromEntries(Object.entries(networks).map(([name, network]) => [name, network.nodes]));
