benchstat -format csv cfg.txt
