import * as pulumi from "@pulumi/pulumi";
import { VlanRouter } from "pulumi-vlan-router";

const config = new pulumi.Config();

const { router, networks } = VlanRouter.fromConfig("router", {
  image: config.require("image"),
  imagePullPolicy: config.get("imagePullPolicy"),
  timeoutSeconds: config.getNumber("timeoutSeconds"),
  value: {
    podNetworks: config.requireObject("podNetworks"),
    networks: config.requireObject("networks"),
  },
});

/** Nodes whose agent runs the wanted image. */
export const agents = router.nodes;

/** By network name: what the stacks that provision tenants read with a StackReference. */
export const publicNetworks = Object.fromEntries(
  Object.entries(networks).map(([name, network]) => [
    name,
    {
      cidr: network.cidr,
      gateway: network.gateway,
      capacity: network.capacity,
      routingTable: network.routingTable,
      interfaceName: network.interfaceName,
      gobgpPort: network.gobgpPort,
      rulePriorities: network.rulePriorities,
      routeTarget: network.routeTarget,
      ready: network.ready,
      nodes: network.nodes,
    },
  ]),
);
